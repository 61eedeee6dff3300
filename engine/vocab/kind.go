package vocab

// String names the kind in the words of GGUF's documentation.
func (k Kind) String() string {
	switch k {
	case Normal:
		return "normal"
	case Unknown:
		return "unknown"
	case Control:
		return "control"
	case UserDefined:
		return "user-defined"
	case Unused:
		return "unused"
	case Byte:
		return "byte"
	}
	return "undefined"
}

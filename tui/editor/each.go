package editor

import tea "github.com/charmbracelet/bubbletea"

// Each hands on a message of the keyboard. Letters that follow each other fast come as one: where they are no text, as typing says,
// each is a key of its own, until one of them makes the rest text. What is pasted there is dropped.
func Each(msg tea.KeyMsg, typing func() bool, press func(tea.KeyMsg) tea.Cmd) tea.Cmd {
	if msg.Type != tea.KeyRunes || len(msg.Runes) < 2 || typing() {
		return press(msg)
	}
	if msg.Paste {
		return nil
	}
	var cmds []tea.Cmd
	for i := range msg.Runes {
		one := msg
		if one.Runes = msg.Runes[i : i+1]; typing() {
			one.Runes = msg.Runes[i:]
			return tea.Batch(append(cmds, press(one))...)
		}
		cmds = append(cmds, press(one))
	}
	return tea.Batch(cmds...)
}

// Package chat turns conversations into the text that a model was trained on, and its answers back into content and
// reasoning.
//
// [Parse] reads a model's chat template (an empty one stands for built-in ChatML); [Template.Render] writes an [Input]:
// messages, tools, variables. [Template.Capabilities] says what the template can express. [Template.Splitter] separates the
// answer, as it comes, into what the model thinks and what it says; [Template.CallFormat] (package calls) finds the calls of
// tools in the latter.
//
// A template is a program that came with the model. Package jinja keeps it from doing harm; its own refusals come back as a
// [*Refusal] that names the message, its faults as a [*jinja.Error] with line and column.
package chat

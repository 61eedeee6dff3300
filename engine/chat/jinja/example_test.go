package jinja_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/llamakit/llamakit/engine/chat/jinja"
)

func Example() {
	t, err := jinja.Parse("greeting", "{% for m in messages %}{{ m.role | upper }}: {{ m.content }}\n{% endfor %}")
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := jinja.FromJSON([]byte(`{"messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := t.Render(context.Background(), v.(*jinja.Dict), nil)
	fmt.Print(text, err)
	// Output:
	// USER: Hello
	// ASSISTANT: Hi
	// <nil>
}

func ExampleError() {
	t, err := jinja.Parse("strict", "{{ raise_exception('Roles must alternate') }}")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = t.Render(context.Background(), jinja.NewDict(), nil)
	var e *jinja.Error
	if errors.As(err, &e) && e.Kind == jinja.RaisedError {
		fmt.Println("the template refuses:", e.Message)
	}
	// Output: the template refuses: Roles must alternate
}

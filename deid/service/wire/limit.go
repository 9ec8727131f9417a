package wire

import (
	"context"
	"net/http"
	"unicode/utf8"
)

type textLimit struct{}

// WithTextLimit returns a context whose request may have texts of this many characters (code points) together.
func WithTextLimit(ctx context.Context, characters int) context.Context {
	return context.WithValue(ctx, textLimit{}, characters)
}

// CheckTexts returns an error with the status 413 if the n texts of a request have more characters than its context allows.
func CheckTexts(ctx context.Context, n int, text func(i int) string) error {
	limit, ok := ctx.Value(textLimit{}).(int)
	if !ok {
		return nil
	}
	characters := 0
	for i := range n {
		if characters += utf8.RuneCountInString(text(i)); characters > limit {
			return &Error{http.StatusRequestEntityTooLarge, "too_large", "The texts of the request have more characters than the server allows."}
		}
	}
	return nil
}

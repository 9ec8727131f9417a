//go:build !amd64

package rows

func each(f func(name string)) { f("generic") }

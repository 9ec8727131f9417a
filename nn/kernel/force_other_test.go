//go:build !amd64

package kernel

func available() []string      { return []string{"generic"} }
func force(name string) func() { return func() {} }

package kernel

//go:generate go run -C gen . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg kernel

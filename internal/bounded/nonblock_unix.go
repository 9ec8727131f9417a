//go:build unix

package bounded

import "syscall"

// nonblock makes open return at once if a FIFO has replaced a regular file after
// the check. It has no effect on regular files.
const nonblock = syscall.O_NONBLOCK

//go:build unix

package bounded

import "syscall"

// nonblock has open return at once for a FIFO that takes the place of a regular file
// after the check. It changes nothing for regular files.
const nonblock = syscall.O_NONBLOCK

package data

// Writer writes documents in some file format. A document is refused, with an
// error that names its file, when its spans do not fit its text, when a type is
// not in the writer's set, when the format cannot hold it unchanged, or when its
// ID was written before; the writer stays usable. After an input or output error
// it does not.
//
// Nothing appears under its final name before it is whole: a note of a format
// with a file a note when Write returns, a corpus of a format with one file in
// all when Close returns.
type Writer interface {
	Write(*Document) error
	// Close makes what was written final.
	Close() error
	// Abort gives up: a file not yet final is removed. After Close it does
	// nothing, so that it can be deferred.
	Abort() error
}

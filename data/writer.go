package data

// Writer writes documents in some file format. It refuses a document, with an
// error that names its file, if its spans do not fit its text, if a type is not
// in the writer's set, if the format cannot represent the document unchanged, or
// if its ID was written before. The writer can be used after such an error, but
// not after an input or output error.
//
// No file appears under its final name before it is complete. In formats with one
// file per note, that is when Write returns; in formats with a single file,
// when Close returns.
type Writer interface {
	Write(*Document) error
	// Close moves the output to its final name.
	Close() error
	// Abort removes files that do not have their final name yet. After Close it
	// does nothing, so it can be deferred.
	Abort() error
}

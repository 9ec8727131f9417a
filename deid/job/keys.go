package job

import (
	"fmt"
	"sync/atomic"

	"github.com/lethe-deid/lethe/deid/notefile"
)

// keys says which of the keys that --id and --patient name a record of JSON Lines had. A record may lack them, but if all do, the name is
// wrong, and what identifies the patients would stay under another key. Several goroutines use it.
type keys struct{ id, patient atomic.Bool }

// see remembers the keys of a record.
func (k *keys) see(record *notefile.Record) {
	if n := record.Named; n != nil {
		if n.ID {
			k.id.Store(true)
		}
		if n.Patient {
			k.patient.Store(true)
		}
	}
}

// check returns an error if some records lack a key, as all says, and no record that was read has it.
func (k *keys) check(all notefile.Named, options Config) error {
	switch {
	case !all.Patient && !k.patient.Load():
		return keyError("patient", options.Patient)
	case !all.ID && !k.id.Load():
		return keyError("id", options.ID)
	}
	return nil
}

func keyError(option, key string) error {
	return fmt.Errorf("--%s: none of the objects that were read has the key %q; if it is right, give it the value null where the %[1]s is unknown", option, key)
}

// allHave says which keys a record has that all records before it have as well.
func allHave(before notefile.Named, record *notefile.Record) notefile.Named {
	if record == nil || record.Named == nil {
		return before
	}
	return notefile.Named{ID: before.ID && record.Named.ID, Patient: before.Patient && record.Named.Patient}
}

// everyKey stands for no record: nothing lacks a key.
var everyKey = notefile.Named{ID: true, Patient: true}

// heldBatches writes batches. It holds them back as long as all records lack a key of an option: if the others lack it, too, nothing is written.
type heldBatches struct {
	run     *run
	batches [][]item
	bytes   int
	all     notefile.Named // the keys that all records in the batches have
}

// maxHeld is the number of bytes of records that are held back in memory.
const maxHeld = 32 << 20

func (h *heldBatches) write(batch []item) error {
	for _, it := range batch {
		h.all = allHave(h.all, it.record)
	}
	h.batches, h.bytes = append(h.batches, batch), h.bytes+bytesOf(batch)
	err := h.run.keys.check(h.all, h.run.config.Config)
	switch {
	case err == nil:
		return h.writeAll()
	case h.bytes > maxHeld:
		return err
	}
	return nil
}

// end writes what is held back at the end of the input, or returns why it must not be written.
func (h *heldBatches) end() error {
	if err := h.run.keys.check(h.all, h.run.config.Config); err != nil {
		return err
	}
	return h.writeAll()
}

func (h *heldBatches) writeAll() error {
	for _, batch := range h.batches {
		if err := h.run.writeAll(batch); err != nil {
			return err
		}
	}
	h.batches, h.bytes, h.all = nil, 0, everyKey
	return nil
}

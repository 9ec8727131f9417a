package parquet

import (
	"encoding/base64"
	"encoding/binary"
	"time"
)

// This file reads the time zones of timestamps. Parquet says only that a timestamp is an instant. The zone in which readers show it is in the schema
// that programs which use Arrow write into the metadata of the file, a message in FlatBuffers.
//
// See https://arrow.apache.org/docs/format/Columnar.html#schema-message and https://flatbuffers.dev/internals/.

// setZones sets the zones of the leaves that have timestamps, where the metadata of the file has them.
func (f *File) setZones() {
	zones := arrowZones(f.metadata("ARROW:schema"), len(f.Leaves))
	if len(zones) != len(f.Leaves) {
		return
	}
	for i, l := range f.Leaves {
		if z := zones[i]; z != nil && l.Dated() {
			l.instant = false // it is shown in a zone that is known
			l.zone, l.UnknownZone = zoneOf(*z)
		}
	}
}

// metadata returns the value of a key in the metadata of the file, or "".
func (f *File) metadata(key string) string {
	for _, e := range f.meta.list(5) {
		if k, v := e.get(1), e.get(2); k != nil && v != nil && string(k.raw) == key {
			return string(v.raw)
		}
	}
	return ""
}

// zoneOf returns the time zone with a name such as America/New_York or -05:00, or nil for UTC and for timestamps that are no instants, whose zone has no name. unknown is
// the name if the machine does not know the zone.
func zoneOf(name string) (zone *time.Location, unknown string) {
	if name == "" || name == "UTC" {
		return nil, ""
	}
	if t, err := time.Parse("-07:00", name); err == nil {
		_, seconds := t.Zone()
		return time.FixedZone(name, seconds), ""
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, name
	}
	return zone, ""
}

// The numbers of what is read of the messages of Arrow: headers, types, and the fields of tables.
const (
	arrowSchema, arrowTimestamp = 1, 10

	messageHeaderType, messageHeader    = 1, 2
	schemaFields                        = 1
	fieldTypeType, fieldType, fieldKids = 2, 3, 5
	timestampZone                       = 1

	arrowDepth   = 64 // of columns in others
	continuation = 0xffffffff
)

// arrowZones returns the name of the zone of each column of an encoded schema that contains no other columns, or nil if it has no timestamps. The order is that of the
// leaves of Parquet. It returns nil if the schema is damaged, and at most one more than the leaves.
func arrowZones(encoded string, leaves int) []*string {
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(raw) < 8 {
		return nil
	}
	if binary.LittleEndian.Uint32(raw) == continuation {
		raw = raw[4:]
	}
	s := arrowColumns{flatBuffer: raw[4:], leaves: leaves} // behind the length
	message := s.indirect(0)
	if s.byteAt(s.field(message, messageHeaderType)) != arrowSchema {
		return nil
	}
	s.add(s.indirect(s.field(message, messageHeader)), schemaFields, arrowDepth)
	return s.zones
}

// arrowColumns collects the zones of the columns of a schema.
type arrowColumns struct {
	flatBuffer
	leaves int
	zones  []*string
}

// add adds the columns that a table lists in a field. A damaged schema may list the same ones again and again.
func (s *arrowColumns) add(table, field, depth int) {
	for _, column := range s.tables(s.field(table, field)) {
		var zone *string
		switch {
		case len(s.zones) > s.leaves:
			return
		case depth > 0 && len(s.tables(s.field(column, fieldKids))) > 0:
			s.add(column, fieldKids, depth-1)
			continue
		case s.byteAt(s.field(column, fieldTypeType)) == arrowTimestamp:
			name := s.text(s.field(s.indirect(s.field(column, fieldType)), timestampZone))
			zone = &name
		}
		s.zones = append(s.zones, zone)
	}
}

// flatBuffer reads a message. Positions are from its beginning; 0 stands for what is missing or outside of it.
type flatBuffer []byte

func (b flatBuffer) byteAt(at int) byte {
	if at <= 0 || at >= len(b) {
		return 0
	}
	return b[at]
}

func (b flatBuffer) uint16(at int) int {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return int(binary.LittleEndian.Uint16(b[at:]))
}

func (b flatBuffer) uint32(at int) int {
	if at < 0 || at+4 > len(b) {
		return 0
	}
	return int(binary.LittleEndian.Uint32(b[at:]))
}

// indirect follows the offset at a position. Only the first one is at the position 0.
func (b flatBuffer) indirect(at int) int {
	if to := at + b.uint32(at); to < len(b) && to > at {
		return to
	}
	return 0
}

// field returns the position of a field of a table.
func (b flatBuffer) field(table, number int) int {
	if table <= 0 {
		return 0
	}
	offsets := table - int(int32(b.uint32(table))) //nolint:gosec // it may be negative
	if at := 4 + 2*number; offsets > 0 && at+2 <= b.uint16(offsets) {
		if to := b.uint16(offsets + at); to > 0 {
			return table + to
		}
	}
	return 0
}

// tables returns the positions of the tables of the vector to which a field leads.
func (b flatBuffer) tables(field int) []int {
	if field <= 0 {
		return nil
	}
	vector := b.indirect(field)
	n := b.uint32(vector)
	if vector == 0 || n > (len(b)-vector)/4 {
		return nil
	}
	var all []int
	for i := range n {
		all = append(all, b.indirect(vector+4+4*i))
	}
	return all
}

// text returns the string to which a field leads.
func (b flatBuffer) text(field int) string {
	if field <= 0 {
		return ""
	}
	at := b.indirect(field)
	n := b.uint32(at)
	if at == 0 || n > len(b)-at-4 {
		return ""
	}
	return string(b[at+4:][:n])
}

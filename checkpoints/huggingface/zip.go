package huggingface

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/lethe-deid/lethe/internal/sorting"
)

// torch.save writes a zip archive of members without compression, which the numbers of a tensor can be
// read from at any place. archive/zip is not used: it allocates as much as the end of the file demands,
// however many members that says there are, and does not see members that overlap.

// member is a member of an archive.
type member struct {
	name        string
	begin, size int64 // bytes in the file
}

// The signatures and sizes of the records of an archive, and the kinds of extra fields (APPNOTE.TXT, 4.3).
const (
	localSignature     = 0x04034b50
	centralSignature   = 0x02014b50
	endSignature       = 0x06054b50
	end64Signature     = 0x06064b50
	locator64Signature = 0x07064b50

	localSize     = 30
	centralSize   = 46
	endSize       = 22
	end64Size     = 56
	locator64Size = 20

	extra64 = 1
)

var errArchive = errors.New("is truncated or damaged: the directory of the zip archive is not valid")

// readArchive returns the members of a zip archive by name. They are stored without compression, and do
// not overlap.
func readArchive(f *file, left *budget) (map[string]member, error) {
	directory, count, begin, err := readDirectory(f, left)
	if err != nil {
		return nil, err
	}
	members := make([]member, 0, count)
	for len(directory) > 0 {
		var m member
		if m, directory, err = readMember(directory); err != nil {
			return nil, err
		}
		var local [localSize]byte
		if _, err := f.ReadAt(local[:], m.begin); err != nil || binary.LittleEndian.Uint32(local[:]) != localSignature {
			return nil, fmt.Errorf("member %q: %w", m.name, errArchive)
		}
		m.begin += localSize + int64(binary.LittleEndian.Uint16(local[26:])) + int64(binary.LittleEndian.Uint16(local[28:]))
		if m.begin > begin || m.size > begin-m.begin {
			return nil, fmt.Errorf("member %q: ends beyond the members of the archive", m.name)
		}
		members = append(members, m)
	}
	if len(members) != count {
		return nil, errArchive
	}
	sorting.By(members, func(a, b member) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.size, b.size)) })
	byName := make(map[string]member, len(members))
	for i, m := range members {
		if i > 0 && m.begin < members[i-1].begin+members[i-1].size+localSize {
			return nil, fmt.Errorf("the members %q and %q overlap", members[i-1].name, m.name)
		}
		if _, ok := byName[m.name]; ok {
			return nil, fmt.Errorf("the member %q occurs twice", m.name)
		}
		byName[m.name] = m
	}
	return byName, nil
}

// readDirectory returns the directory of an archive, the number of its entries, and where it begins.
func readDirectory(f *file, left *budget) (directory []byte, count int, begin int64, err error) {
	// The archive ends with a record, which is followed by a comment of at most 64 KiB.
	tail := make([]byte, min(f.size, endSize+math.MaxUint16))
	at := f.size - int64(len(tail))
	if _, err := f.ReadAt(tail, at); err != nil && err != io.EOF {
		return nil, 0, 0, err
	}
	i := bytes.LastIndex(tail, binary.LittleEndian.AppendUint32(nil, endSignature))
	if i < 0 || len(tail)-i < endSize {
		return nil, 0, 0, errArchive
	}
	end := tail[i:]
	at += int64(i)
	entries := uint64(binary.LittleEndian.Uint16(end[10:]))
	size := uint64(binary.LittleEndian.Uint32(end[12:]))
	offset := uint64(binary.LittleEndian.Uint32(end[16:]))
	if entries == math.MaxUint16 || size == math.MaxUint32 || offset == math.MaxUint32 {
		var locator [locator64Size]byte
		var end64 [end64Size]byte
		if at < locator64Size {
			return nil, 0, 0, errArchive
		}
		if _, err := f.ReadAt(locator[:], at-locator64Size); err != nil || binary.LittleEndian.Uint32(locator[:]) != locator64Signature {
			return nil, 0, 0, errArchive
		}
		place := binary.LittleEndian.Uint64(locator[8:])
		if place > uint64(f.size) {
			return nil, 0, 0, errArchive
		}
		if _, err := f.ReadAt(end64[:], int64(place)); err != nil || binary.LittleEndian.Uint32(end64[:]) != end64Signature {
			return nil, 0, 0, errArchive
		}
		entries = binary.LittleEndian.Uint64(end64[32:])
		size = binary.LittleEndian.Uint64(end64[40:])
		offset = binary.LittleEndian.Uint64(end64[48:])
	}
	if offset > uint64(at) || size > uint64(at)-offset || entries > size/centralSize {
		return nil, 0, 0, errArchive
	}
	if err := left.take(int64(size)); err != nil {
		return nil, 0, 0, fmt.Errorf("the directory of the zip archive: %w", err)
	}
	directory = make([]byte, size)
	_, err = f.ReadAt(directory, int64(offset))
	return directory, int(entries), int64(offset), err
}

// readMember reads an entry of the directory. Its begin is that of the local header.
func readMember(directory []byte) (m member, rest []byte, err error) {
	if len(directory) < centralSize || binary.LittleEndian.Uint32(directory) != centralSignature {
		return m, nil, errArchive
	}
	flags, method := binary.LittleEndian.Uint16(directory[8:]), binary.LittleEndian.Uint16(directory[10:])
	packed, size := uint64(binary.LittleEndian.Uint32(directory[20:])), uint64(binary.LittleEndian.Uint32(directory[24:]))
	name, extra, comment := int(binary.LittleEndian.Uint16(directory[28:])), int(binary.LittleEndian.Uint16(directory[30:])), int(binary.LittleEndian.Uint16(directory[32:]))
	offset := uint64(binary.LittleEndian.Uint32(directory[42:]))
	rest = directory[centralSize:]
	if name > maxMemberName || name+extra+comment > len(rest) {
		return m, nil, errArchive
	}
	m.name = string(rest[:name])
	if err := large(rest[name:name+extra], &size, &packed, &offset); err != nil {
		return m, nil, err
	}
	if flags&1 != 0 || method != 0 || packed != size {
		return m, nil, fmt.Errorf("member %q: is compressed or encrypted, which torch.save does not do", m.name)
	}
	if size > math.MaxInt64 || offset > math.MaxInt64-localSize-2*math.MaxUint16 {
		return m, nil, errArchive
	}
	m.begin, m.size = int64(offset), int64(size)
	return m, rest[name+extra+comment:], nil
}

// maxMemberName is the maximum length of the name of a member in bytes, so that errors can contain it.
const maxMemberName = 1000

// large replaces the values that do not fit 32 bits with those of an extra field.
func large(extra []byte, values ...*uint64) error {
	var numbers []byte
	for len(extra) >= 4 {
		kind, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[4:]; size > len(extra) {
			return errArchive
		}
		if kind == extra64 {
			numbers = extra[:size]
		}
		extra = extra[size:]
	}
	for _, v := range values {
		if *v != math.MaxUint32 {
			continue
		}
		if len(numbers) < 8 {
			return errArchive
		}
		*v, numbers = binary.LittleEndian.Uint64(numbers), numbers[8:]
	}
	return nil
}

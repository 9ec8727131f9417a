package main

// A source is something to download. Its items are the parts that the experiments use.
type source struct {
	name, address, licence string
	items                  []item
}

// An item is a file, or a folder with XML files.
type item struct {
	to    string   // the path in the output folder
	names []string // how its path ends in the download, in lower case
	files int      // of a folder: the number of its files; 0 for a file
	conll bool     // whether it has the columns of CoNLL, of which only words and labels are compared
	sum   string   // SHA-256 of the file, or digest of the folder or the columns (see digest and columns); empty if not known
}

const (
	meddocanTrain   = "corpora/meddocan/train/xml"
	meddocanDev     = "corpora/meddocan/dev/xml"
	meddocanHard    = "corpora/meddocan/dev_hard/xml"
	meddocanSwapped = "corpora/meddocan/dev_swapped/xml"
	femaleNames     = "gazetteers/spanish-names/female_names.csv"
	maleNames       = "gazetteers/spanish-names/male_names.csv"
	surnames        = "gazetteers/spanish-names/surnames_freq_ge_100.csv"
	worldCities     = "gazetteers/world-cities/world-cities.csv"
)

// hardDigest is the digest of the dev_hard with which the scores were computed.
const hardDigest = "df522c51ed3f8479bf42d667e7efc9dd9db2ebf4066fb318c219f5da3f3222d7"

// sources lists everything that the rows of the README's table of scores need and that can be downloaded.
var sources = []source{
	{
		name:    "MEDDOCAN",
		address: "https://doi.org/10.5281/zenodo.4279323",
		licence: "CC BY 4.0",
		items: []item{
			{to: meddocanTrain, names: []string{"meddocan/train/xml"}, files: 500, sum: "2a5386ee26377b975d3f169353e83868238a966510ac0cd67ae2c15c1f3c1677"},
			{to: meddocanDev, names: []string{"meddocan/dev/xml"}, files: 250, sum: "80b1661e69c1fe9fe37508e95392fc77a82e63a22f8392e1ee043c5ab0b892a4"},
			{to: "corpora/meddocan/test/xml", names: []string{"meddocan/test/xml"}, files: 250},
		},
	},
	{
		name:    "CoNLL-2003",
		address: "https://www.clips.uantwerpen.be/conll2003/ner/",
		licence: "Reuters text, for research",
		items: []item{
			{to: "corpora/conll2003/train.txt", names: []string{"conll2003/train.txt", "eng.train"}, conll: true, sum: "52cad5d25b94538fd6b676ecbad2e214a2927b90a8c079e155565a36814394e5"},
			{to: "corpora/conll2003/valid.txt", names: []string{"conll2003/valid.txt", "eng.testa"}, conll: true, sum: "1f91766592f6bec9c349c017d0f0666012a07f68a01ef6deef879ebc4cbd21b2"},
			{to: "corpora/conll2003/test.txt", names: []string{"conll2003/test.txt", "eng.testb"}},
		},
	},
	{
		name:    "Spanish names",
		address: "https://github.com/jvalhondo/spanish-names-surnames",
		licence: "ODbL 1.0",
		items: []item{
			{to: femaleNames, names: []string{"female_names.csv"}, sum: "55527e547db44f595b04c44d9c00881ca559e1cc38682b3d75ce72d5dd831948"},
			{to: maleNames, names: []string{"male_names.csv"}, sum: "14a5dd22d253148d04f044ee373bb1637bda3c83c2707cf7ace912c1e9bace8e"},
			{to: surnames, names: []string{"surnames_freq_ge_100.csv"}, sum: "c67019ce17003739722f62dbce8bffa3447176c1c2fa178f6d2071cfc261e4b7"},
		},
	},
	{
		name:    "World cities",
		address: "https://github.com/datasets/world-cities",
		licence: "CC BY 4.0",
		items: []item{
			{to: worldCities, names: []string{"world-cities.csv"}, sum: "918a8894081b3406b6bcfdc0cccd6b151d939c18cd239fe636744b56c7486965"},
		},
	},
	{
		name:    "US census names",
		address: "https://www2.census.gov/topics/genealogy/1990surnames/",
		licence: "public domain",
		items: []item{
			{to: "gazetteers/us-census/dist.all.last", names: []string{"dist.all.last"}, sum: "b0e2b3743ccbad641ca48b344c24cdebcd1d9a1f76dc6dbf05986f2919f0b4e1"},
			{to: "gazetteers/us-census/dist.female.first", names: []string{"dist.female.first"}, sum: "bd2f310fc4e5d5e5ea122c9d4342c9821145823118eb20db1647f305ec77b358"},
			{to: "gazetteers/us-census/dist.male.first", names: []string{"dist.male.first"}, sum: "0a5078ef6effe3b483d15b0f7f95047662126c9bfb624ecd5e5b978fc0f2470b"},
		},
	},
}

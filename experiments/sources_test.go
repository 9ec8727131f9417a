package experiments

// paths returns splits of one file or folder each.
func paths(of map[string]string) map[string]Sources {
	splits := map[string]Sources{}
	for name, path := range of {
		splits[name] = Sources{{Path: path}}
	}
	return splits
}

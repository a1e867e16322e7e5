package hostfs

// openTries is how often an open is tried again after what it opened had been
// replaced meanwhile.
const openTries = 16

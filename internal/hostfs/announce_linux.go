package hostfs

import "golang.org/x/sys/unix"

// announce makes the last word that a watcher hears of the target be that it is
// there. An exchange is told as two moves, first the new file in and then the
// old one out, under one name: who believes the last of them takes the file for
// gone. Setting the time that it has anyway is told as a modification.
// It is only a courtesy: nothing depends on it, and its errors count for nothing.
func (j *putJob) announce() {
	fd, err := openat(j.par.fd, j.par.leaf, openPath, 0)
	if err != nil {
		return
	}
	defer closeFD(fd)
	var st unix.Stat_t
	if fstat(fd, &st) != nil || !sameFile(&st, &j.tmpSt) {
		return // somebody has replaced it since, and was heard
	}
	times := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, st.Mtim}
	_ = unix.UtimesNanoAt(fd, "", times, unix.AT_EMPTY_PATH)
}

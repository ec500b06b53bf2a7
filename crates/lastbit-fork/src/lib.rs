//! Tells a process that it was forked.

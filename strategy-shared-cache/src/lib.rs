//! One snapshot built once and shared by every session that asks before the next transaction ends.

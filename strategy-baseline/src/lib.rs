//! PostgreSQL's own snapshot designs: the known-assigned array of a standby and the process array of a primary.

//! Verdicts; filled below.

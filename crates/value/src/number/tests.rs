//! Numbers against the service's rules, and against `bigdecimal` where there are too many cases to list.

//! The expression languages from outside: what is accepted, what is refused in which words, what it means.

mod conditions;
mod key_conditions;
mod legacy;
mod operands;
mod parts;
mod placeholders;
mod projections;
mod properties;

mod request;
mod syntax;
mod updates;

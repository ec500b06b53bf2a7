//! The engine: a query answered by Apache DataFusion.

-- The engine's name for the invocation that carries a research, so that whoever appends to its journal can wake it.
ALTER TABLE research ADD COLUMN invocation TEXT;

-- Finds a research by the provider's own id, for providers that call back. One entry per research.
CREATE INDEX event_remote ON event ((body::json ->> 'remote_id')) WHERE body LIKE '{"type":"remote-started"%';

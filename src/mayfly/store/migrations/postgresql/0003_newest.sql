-- The newest event of one kind about one subject is found at once, however many events the kind or the subject has.

CREATE INDEX mayfly_events_newest ON mayfly_events (subject, kind, id);

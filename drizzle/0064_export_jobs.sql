-- What an upgrade interrupts is a job from now on; what an earlier version was making will not be made any more.
UPDATE notifications SET event = 'export-failed', read_at = NULL WHERE event = 'export-running';

CREATE INDEX `news_search` ON `news` (`search`);--> statement-breakpoint
CREATE INDEX `news_excerpt` ON `news` (`excerpt`);
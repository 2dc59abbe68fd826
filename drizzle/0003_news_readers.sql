ALTER TABLE `news` ADD `excerpt` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `news_due` ON `news` (`publishedon`) WHERE published = 0 and publishedon is not null;--> statement-breakpoint
CREATE INDEX `news_images` ON `news` (`images`) WHERE images <> '[]';
ALTER TABLE `imports` ADD `upload` text;--> statement-breakpoint
ALTER TABLE `imports` ADD `sheets` text;--> statement-breakpoint
ALTER TABLE `imports` ADD `sheet` text;
-- What was interrupted by the end of the process stays as it is: a half deletion can be restored, a half import undone.
UPDATE `trash` SET `size` = (SELECT count(*) FROM `trash` AS `part` WHERE `part`.`batch` = `trash`.`batch`)
WHERE `size` IS NULL AND `batch` IN (SELECT `batch` FROM `unfinished_batches` WHERE `action` = 'delete')
  AND `id` = (SELECT min(`id`) FROM `trash` AS `first` WHERE `first`.`batch` = `trash`.`batch`);--> statement-breakpoint
UPDATE `imports` SET `saved_at` = `created_at` WHERE `saved_at` IS NULL AND `id` IN (SELECT `import_id` FROM `import_parts` WHERE `action` = 'save');--> statement-breakpoint
DELETE FROM `import_parts` WHERE `action` = 'undo';--> statement-breakpoint
INSERT INTO `import_parts` (`import_id`, `action`, `results`) SELECT `id`, 'save', `results` FROM `imports` WHERE `results` IS NOT NULL;--> statement-breakpoint
DROP TABLE `unfinished_batches`;--> statement-breakpoint
ALTER TABLE `import_parts` DROP COLUMN `action`;--> statement-breakpoint
ALTER TABLE `imports` DROP COLUMN `results`;
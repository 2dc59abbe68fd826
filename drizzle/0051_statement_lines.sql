ALTER TABLE `payments` ADD `statement_line` text;--> statement-breakpoint
CREATE UNIQUE INDEX `payments_statement_line` ON `payments` (`statement_line`);--> statement-breakpoint
CREATE INDEX `payments_by_hand` ON `payments` (`amount`,`date`) WHERE state = 'confirmed' and statement_line is null;--> statement-breakpoint
-- What was booked of a statement until now has the bank's words as the last line of its note: below the note of what was reported, which was written twice
-- (its note, then the decision), or as the whole note of what the person who booked it entered. A note that only looks like it is none.
UPDATE OR IGNORE `payments` SET `statement_line` = `amount` || ' ' || substr(`note`, length(rtrim(`note`, replace(`note`, char(10), ''))) + 1)
  WHERE `state` = 'confirmed' AND `note` <> '' AND (`version` = 3 OR (`version` = 2 AND `reporter_id` = `decider_id` AND `reporter_name` = `decider_name`
    AND `kind` = 'transfer' AND `file` IS NULL AND instr(`note`, char(10)) = 0 AND (`note` LIKE '№ %, ' || strftime('%d.%m.%Y', `date`) || '%' OR `note` LIKE strftime('%d.%m.%Y', `date`) || ', %')));

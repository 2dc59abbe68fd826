ALTER TABLE `submissions` ADD `record_id` integer;--> statement-breakpoint
-- What programs have created lately is known by the end of its address.
UPDATE `submissions` SET `record_id` = cast(replace(`location`, rtrim(`location`, replace(`location`, '/', '')), '') AS integer)
WHERE `location` LIKE '%/api/v1/%';

ALTER TABLE `companies` ADD `custom_lines` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `order_drafts` ADD `order_id` integer;--> statement-breakpoint
ALTER TABLE `order_items` ADD `replaced_price` integer;--> statement-breakpoint
ALTER TABLE `order_items` ADD `replaced_discount` integer;--> statement-breakpoint
-- What a dealer held alone is now for all dealers of the company.
UPDATE `companies` SET `custom_lines` = 1 WHERE `id` IN (
  SELECT `users`.`company_id` FROM `users` JOIN `user_policies` ON `user_policies`.`user_id` = `users`.`id` JOIN `policies` ON `policies`.`id` = `user_policies`.`policy_id`
  WHERE `users`.`group_id` = 2 AND `user_policies`.`value` AND `policies`.`key` = 'order_can_add_custom');--> statement-breakpoint
DELETE FROM `user_policies` WHERE `policy_id` IN (SELECT `id` FROM `policies` WHERE `key` = 'order_can_add_custom');--> statement-breakpoint
DELETE FROM `policies` WHERE `key` = 'order_can_add_custom';--> statement-breakpoint
UPDATE `permission_sets` SET `keys` = (SELECT json_group_array(`value`) FROM json_each(`permission_sets`.`keys`) WHERE `value` <> 'order_can_add_custom')
  WHERE `keys` LIKE '%"order_can_add_custom"%';

CREATE INDEX `orders_date_make_due` ON `orders` (`status_id`,`date_make`);--> statement-breakpoint
CREATE INDEX `orders_date_delivery_due` ON `orders` (`status_id`,`date_delivery`);
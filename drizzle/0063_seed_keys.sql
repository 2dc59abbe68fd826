ALTER TABLE `permission_sets` ADD `seed_key` text;--> statement-breakpoint
ALTER TABLE `status_transitions` ADD `seed_key` text;--> statement-breakpoint
ALTER TABLE `statuses` ADD `seed_key` text;--> statement-breakpoint
-- A seed is known by its key as long as its text is the seeded one, in whichever language.
UPDATE `statuses` SET `seed_key` = CASE `name`
    WHEN 'New' THEN 'new'
    WHEN 'Новый' THEN 'new'
    WHEN 'Awaiting signing' THEN 'apply'
    WHEN 'Ожидает подписания' THEN 'apply'
    WHEN 'Awaiting payment' THEN 'payment'
    WHEN 'Ожидает оплаты' THEN 'payment'
    WHEN 'Under review' THEN 'paid'
    WHEN 'На проверке' THEN 'paid'
    WHEN 'In production' THEN 'production'
    WHEN 'В производстве' THEN 'production'
    WHEN 'Delivery' THEN 'delivery'
    WHEN 'Доставка' THEN 'delivery'
    WHEN 'Awaiting pickup' THEN 'pickup'
    WHEN 'Ожидает самовывоза' THEN 'pickup'
    WHEN 'Installation' THEN 'install'
    WHEN 'Монтаж' THEN 'install'
    WHEN 'Completed' THEN 'completed'
    WHEN 'Завершён' THEN 'completed'
    WHEN 'Canceled' THEN 'canceled'
    WHEN 'Отменён' THEN 'canceled'
  END;--> statement-breakpoint
UPDATE `permission_sets` SET `seed_key` = CASE `name`
    WHEN 'Manager' THEN 'manager'
    WHEN 'Менеджер' THEN 'manager'
    WHEN 'Senior manager' THEN 'senior-manager'
    WHEN 'Старший менеджер' THEN 'senior-manager'
    WHEN 'Accountant' THEN 'accountant'
    WHEN 'Бухгалтер' THEN 'accountant'
    WHEN 'Viewer' THEN 'viewer'
    WHEN 'Наблюдатель' THEN 'viewer'
  END;--> statement-breakpoint
-- Default transitions had no names before version 0.2, and get those of the language that statuses have.
UPDATE `status_transitions` SET `action_name` = (
    SELECT CASE WHEN `child`.`name` GLOB '*[а-яё]*' THEN `column3` ELSE `column2` END
    FROM (VALUES
      ('apply', 'Send for signing', 'Отправить на подписание', ' new '),
      ('payment', 'Request payment', 'Выставить счёт', ' apply '),
      ('paid', 'Report payment', 'Сообщить об оплате', ' payment '),
      ('production', 'Start production', 'Запустить в производство', ' paid '),
      ('delivery', 'Hand over for delivery', 'Передать в доставку', ' production '),
      ('pickup', 'Ready for pickup', 'Передать на выдачу', ' production '),
      ('install', 'Start installation', 'Начать монтаж', ' delivery pickup '),
      ('completed', 'Complete order', 'Завершить заказ', ' install '),
      ('canceled', 'Cancel order', 'Отменить заказ', ' new apply payment paid production delivery pickup install ')
    ) JOIN `statuses` AS `child` ON `child`.`status_key` = `column1` JOIN `statuses` AS `parent` ON instr(`column4`, ' ' || `parent`.`status_key` || ' ')
    WHERE `child`.`id` = `child_status_id` AND `parent`.`id` = `parent_status_id`)
  WHERE `action_name` IS NULL AND NOT EXISTS (SELECT 1 FROM `seeded` WHERE `name` = 'transition names');--> statement-breakpoint
UPDATE `status_transitions` SET `seed_key` = CASE `action_name`
    WHEN 'Send for signing' THEN 'apply'
    WHEN 'Отправить на подписание' THEN 'apply'
    WHEN 'Request payment' THEN 'payment'
    WHEN 'Выставить счёт' THEN 'payment'
    WHEN 'Report payment' THEN 'paid'
    WHEN 'Сообщить об оплате' THEN 'paid'
    WHEN 'Start production' THEN 'production'
    WHEN 'Запустить в производство' THEN 'production'
    WHEN 'Hand over for delivery' THEN 'delivery'
    WHEN 'Передать в доставку' THEN 'delivery'
    WHEN 'Ready for pickup' THEN 'pickup'
    WHEN 'Передать на выдачу' THEN 'pickup'
    WHEN 'Готов к выдаче' THEN 'pickup'
    WHEN 'Start installation' THEN 'install'
    WHEN 'Начать монтаж' THEN 'install'
    WHEN 'Complete order' THEN 'completed'
    WHEN 'Завершить заказ' THEN 'completed'
    WHEN 'Cancel order' THEN 'canceled'
    WHEN 'Отменить заказ' THEN 'canceled'
  END;--> statement-breakpoint
DELETE FROM `seeded` WHERE `name` = 'transition names';

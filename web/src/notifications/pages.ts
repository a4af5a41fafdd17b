export { DeliveriesPage } from "./DeliveriesPage";
export { NotificationsPage } from "./NotificationsPage";

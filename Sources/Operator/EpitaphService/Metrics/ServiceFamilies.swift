// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The families of the service's file.
extension PrometheusFamily {
    static let counters = [filed, conversionFailed, sent, sendFailed, removed]

    static let up = gauge("epitaph_service_up", "1 while the service writes this file.")
    static let start = gauge("epitaph_service_start_time_seconds", "When the service began.")
    static let heartbeat = gauge(
        "epitaph_service_heartbeat_time_seconds", "When this file was written.")
    static let filed = counter("epitaph_reports_filed_total", "Reports made of dumps.")
    static let conversionFailed = counter(
        "epitaph_conversion_failures_total", "Tries to convert a dump that failed.")
    static let sent = counter("epitaph_reports_sent_total", "Reports that a server took.")
    static let sendFailed = counter(
        "epitaph_send_failures_total", "Reports that were tried and did not arrive, by reason.")
    static let removed = counter(
        "epitaph_reports_removed_total", "Reports removed to keep a database within its limits.")
    static let reports = gauge("epitaph_reports", "Reports in a database.")
    static let bytes = gauge(
        "epitaph_reports_bytes", "Bytes of minidumps and attachments in a database.")
    static let waiting = gauge("epitaph_reports_waiting", "Reports that wait to be sent.")
    static let oldestWaiting = gauge(
        "epitaph_oldest_waiting_report_time_seconds",
        "When the report was filed that waits longest.")
    static let lastSuccess = gauge(
        "epitaph_last_sent_time_seconds", "When a server took a report last.")

    private static func counter(_ name: String, _ help: String) -> PrometheusFamily {
        PrometheusFamily(.counter, name, help)
    }

    private static func gauge(_ name: String, _ help: String) -> PrometheusFamily {
        PrometheusFamily(.gauge, name, help)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The service's messages. Each kind has a MESSAGE_ID, by which the journal finds it:
/// systemd.journal-fields(7). docs/service.md lists them.
package enum ServiceMessage: String, Sendable, CaseIterable {
    /// Started, or read its configuration again.
    case serviceStarted = "8fb30a4a29a743ba8c503156860e0137"
    case serviceStopped = "0ab4829b0dd643ee8cf71c6730304fe3"
    /// An invalid configuration; at a reload the earlier one stays in force.
    case configurationRefused = "a57c32c82200404488f343be03999da8"
    /// A valid configuration with something dangerous.
    case configurationWarning = "3048222d6192420884c14639f07f287d"
    /// A database cannot be opened, read or kept within its limits.
    case databaseProblem = "0a9f19c9847042ec83b050c61f46e43e"
    case crashReported = "dbde54437f2d44939ed68b426685a66a"
    /// A dump cannot be converted, or was given up.
    case conversionFailed = "076ecbebe85f4972a4116856a3471e64"
    /// A process ended badly without a crash.
    case launchEnded = "a42f9d69e2e04c50a2f536529162d49e"
    case reportSent = "78e751c16a124e31a0625ed61c20e71e"
    /// A report was tried and stays pending, or cannot be tried now.
    case deliveryFailed = "3b1365d9b8234b17932f98aa7ccca047"
    /// A server refuses a report, or every report; a person must act.
    case deliveryRefused = "ac761286f97a4907841e26f068a9a84a"
    /// Reports were removed because of a limit.
    case reportsRemoved = "1af662875c3f4245ab7afed26ce3906a"
    /// A group was given the right to read a database.
    case databaseShared = "6953e7fa1f6d4f70b3960e59b2cef83e"
    /// The kernel cannot watch a directory, which is polled instead.
    case polling = "6835cb278a9d4e55bf142d05533eca92"

    package var id: String { rawValue }
}

/// Urgency of an event: syslog(3).
package enum ServicePriority: Int, Sendable {
    case error = 3
    /// A failure that will be retried.
    case warning = 4
    case notice = 5
    case info = 6
}

package struct ServiceEvent: Sendable {
    package var message: ServiceMessage
    package var priority: ServicePriority
    package var text: String
    /// For programs, in the order written.
    package var fields: [(name: String, value: String)] = []

    package init(
        _ message: ServiceMessage, _ priority: ServicePriority, _ text: String,
        fields: [(name: String, value: String)] = []
    ) {
        self.message = message
        self.priority = priority
        self.text = text
        self.fields = fields
    }

    package var journalEntry: JournalEntry {
        var entry = JournalEntry()
        entry.add("MESSAGE", text)
        entry.add("MESSAGE_ID", message.id)
        entry.add("PRIORITY", "\(priority.rawValue)")
        entry.add("SYSLOG_IDENTIFIER", "epitaph")
        for field in fields { entry.add(field.name, field.value) }
        return entry
    }
}

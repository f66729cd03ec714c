// SPDX-License-Identifier: Apache-2.0

/// Annotations for facts that the minidump format has no place for. Set by Epitaph, not by the
/// program. docs/minidump.md, "CrashpadInfo".
package enum ReportFacts {
    /// Names that are kept although an allow-list lacks them.
    package static let names: Set<String> = [
        "epitaph_bundle_id", "epitaph_start_time_us", "epitaph_snapshot_time_us",
        "crashpad_uptime_ns", "crashpad_intermediate_dump_incomplete",
    ]

    /// A module's path, if too long for the module list.
    static let modulePath = "epitaph_module_path"

    static let sourceSuffix = "_source"

    /// `message`, `message_2`, …: messages about the crash.
    static func messageName(_ index: Int) -> String {
        index == 0 ? "message" : "message_\(index + 1)"
    }

    /// Whether this is the name of a message, with any number: a wrong number must not protect a
    /// message from removal.
    static func isMessageName(_ name: String) -> Bool {
        let name = name.hasSuffix(sourceSuffix) ? name.dropLast(sourceSuffix.count) : name[...]
        guard name != "message" else { return true }
        guard name.hasPrefix("message_") else { return false }
        let digits = name.dropFirst("message_".count)
        return !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Annotations that the program did not set: Epitaph stores facts in them for which the minidump
/// format has no other place. docs/minidump.md, "CrashpadInfo".
package enum ReportFacts {
    /// Names that stay although an allow-list does not contain them.
    package static let names: Set<String> = [
        "epitaph_bundle_id", "epitaph_start_time_us", "epitaph_snapshot_time_us",
        "crashpad_uptime_ns", "crashpad_intermediate_dump_incomplete",
    ]

    /// For a module: its path, if that is too long for the list of modules.
    static let modulePath = "epitaph_module_path"

    static let sourceSuffix = "_source"

    /// `message`, `message_2`, …: the messages about the crash.
    static func messageName(_ index: Int) -> String {
        index == 0 ? "message" : "message_\(index + 1)"
    }

    /// Whether a name is that of a message, whatever its number. A message out of order counts:
    /// what should be removed must not stay because of a wrong number.
    static func isMessageName(_ name: String) -> Bool {
        let name = name.hasSuffix(sourceSuffix) ? name.dropLast(sourceSuffix.count) : name[...]
        guard name != "message" else { return true }
        guard name.hasPrefix("message_") else { return false }
        let digits = name.dropFirst("message_".count)
        return !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Annotations set by Epitaph for facts that the minidump format has no place for; a program's
/// annotation of such a name gets a prefix. docs/minidump.md, "CrashpadInfo".
package enum ReportFacts {
    // Crashpad's names.
    static let incomplete = "crashpad_intermediate_dump_incomplete"
    static let uptime = "crashpad_uptime_ns"
    // Epitaph's. The minidump's own times are whole seconds.
    static let bundleID = "epitaph_bundle_id"
    static let executable = "epitaph_executable"
    static let startTime = "epitaph_start_time_us"
    static let snapshotTime = "epitaph_snapshot_time_us"
    static let reportKind = "epitaph_report_kind"
    static let reportSubject = "epitaph_report_subject"
    static let heapError = "epitaph_heap_error"
    static let heapBlock = "epitaph_heap_block"
    static let heapAllocatedBy = "epitaph_heap_allocated_by"
    static let heapFreedBy = "epitaph_heap_freed_by"

    /// Names that are kept although an allow-list lacks them.
    package static let names: Set<String> = [
        bundleID, startTime, snapshotTime, uptime, incomplete,
    ]

    private static let facts = names.union([
        executable, reportKind, reportSubject, heapError, heapBlock, heapAllocatedBy, heapFreedBy,
    ])

    /// A module's path, if too long for the module list.
    static let modulePath = "epitaph_module_path"

    static let sourceSuffix = "_source"

    private static let programPrefix = "program_"

    /// A program's annotation is written and sent under this name, which is none of ours.
    static func written(_ name: String) -> String {
        isReserved(name, []) ? programPrefix + name : name
    }

    /// The minidump's own name in a form.
    package static let minidumpName = "upload_file_minidump"
    package static let messageList = "list_annotations"
    package static let clientID = "guid"

    /// The name of a program's annotation in a form, where more names are ours.
    package static func formName(_ name: String) -> String {
        isReserved(name, [minidumpName, messageList, clientID]) ? programPrefix + name : name
    }

    /// The program's name of an annotation that is not ours: the inverse of `written`.
    static func name(written: String) -> String {
        guard written.hasPrefix(programPrefix) else { return written }
        let name = String(written.dropFirst(programPrefix.count))
        return isReserved(name, []) ? name : written
    }

    private static func isReserved(_ name: String, _ others: Set<String>) -> Bool {
        var name = name[...]
        // A name that has the prefix because of `written` would lose it.
        while name.hasPrefix(programPrefix) { name = name.dropFirst(programPrefix.count) }
        let rest = String(name)
        return name.hasPrefix("epitaph_") || facts.contains(rest) || isMessageName(rest)
            || others.contains(rest)
    }

    /// `message`, `message_2`, …: messages about the crash.
    package static func messageName(_ index: Int) -> String {
        index == 0 ? "message" : "message_\(index + 1)"
    }

    /// With any number: a wrong number must not protect a message from removal.
    static func isMessageName(_ name: String) -> Bool {
        let name = name.hasSuffix(sourceSuffix) ? name.dropLast(sourceSuffix.count) : name[...]
        guard name != "message" else { return true }
        guard name.hasPrefix("message_") else { return false }
        let digits = name.dropFirst("message_".count)
        return !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Which annotations are ours. Earlier versions wrote a program's annotation under any name, so
    /// of equal names the last is ours, and a message is one only with its source.
    struct Places {
        /// By index of the annotation: its message's number, from 0.
        private(set) var messages: [Int: Int] = [:]
        /// Indices of messages and facts.
        private(set) var all: Set<Int> = []
        private(set) var plain: Set<Int> = []

        /// - Parameter texts: the names in the minidump's order; nil for one that cannot be read.
        init(of texts: [String?]) {
            var last: [String: Int] = [:]
            for (index, name) in texts.enumerated() {
                if let name, facts.contains(name) { last[name] = index }
            }
            all = Set(last.values)
            plain = Set(last.filter { names.contains($0.key) }.values)
            var next = texts.indices.last { Self.isMessage(0, at: $0, in: texts) }
            while let index = next {
                let number = messages.count
                messages[index] = number
                all.formUnion([index, index + 1])
                let isFollowed = Self.isMessage(number + 1, at: index + 2, in: texts)
                next = isFollowed ? index + 2 : nil
            }
            plain.formUnion(all.filter { messages[$0] != nil || messages[$0 - 1] != nil })
        }

        private static func isMessage(_ number: Int, at index: Int, in names: [String?]) -> Bool {
            let name = messageName(number)
            return index + 1 < names.count && names[index] == name
                && names[index + 1] == name + sourceSuffix
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// What scrubbing removes from a minidump, and what is left.
    public struct ScrubbingSummary: Sendable, Equatable, Codable {
        /// Names of annotations that are removed, in the file's order; one may be there more than
        /// once.
        public internal(set) var removedAnnotations: [String] = []
        /// Annotations that stay.
        public internal(set) var keptAnnotationCount = 0
        /// Messages that are removed.
        public internal(set) var removedMessageCount = 0
        /// Streams that are removed, by the names other tools use, in the file's order.
        public internal(set) var removedStreams: [String] = []
        /// Memory regions that are removed.
        public internal(set) var removedMemoryRegionCount = 0
        /// Bytes of the removed regions.
        public internal(set) var removedMemoryByteCount = 0
        /// Memory regions that stay.
        public internal(set) var keptMemoryRegionCount = 0
        /// Bytes of the regions that stay.
        public internal(set) var keptMemoryByteCount = 0
        /// Words of memory that are replaced.
        public internal(set) var replacedWordCount = 0
        /// Sets of registers whose vectors and floating-point numbers are removed.
        public internal(set) var clearedRegisterSetCount = 0
        /// Home directories that become `~`.
        public internal(set) var hiddenHomeDirectoryCount = 0
        /// Copies of removed texts that were found elsewhere and are removed, too.
        public internal(set) var removedCopyCount = 0

        /// Nothing is removed.
        public init() {}

        /// One sentence without a full stop, for example "2 annotations (password, token), 14
        /// memory regions (812 KiB) and 1,204 words of memory are removed".
        public var sentence: String {
            let items = removals
            guard let last = items.last else { return "nothing is removed" }
            let list =
                items.count == 1
                ? last : items.dropLast().joined(separator: ", ") + " and " + last
            let isOne = items.count == 1 && last.hasPrefix("1 ")
            return "\(list) \(isOne ? "is" : "are") removed"
        }

        /// Each kind of removal in words, such as "14 memory regions (812 KiB)".
        public var removals: [String] {
            var items: [String] = []
            if !removedAnnotations.isEmpty {
                items.append(
                    counted(removedAnnotations.count, "annotation")
                        + " (\(Self.shown(removedAnnotations)))")
            }
            add(removedMessageCount, "message", to: &items)
            if !removedStreams.isEmpty {
                items.append(
                    counted(removedStreams.count, "stream")
                        + " (\(Self.shown(removedStreams)))")
            }
            if removedMemoryByteCount > 0 {
                items.append(
                    counted(removedMemoryRegionCount, "memory region")
                        + " (\(Self.size(removedMemoryByteCount)))")
            }
            add(replacedWordCount, "word", "words", " of memory", to: &items)
            add(clearedRegisterSetCount, "set", "sets", " of vector registers", to: &items)
            add(hiddenHomeDirectoryCount, "home directory", "home directories", "", to: &items)
            add(removedCopyCount, "copy", "copies", " of removed texts", to: &items)
            return items
        }

        private func add(
            _ count: Int, _ one: String, _ many: String? = nil, _ rest: String = "",
            to items: inout [String]
        ) {
            guard count > 0 else { return }
            items.append(counted(count, one, many) + rest)
        }

        private static let shownNameLimit = 8

        /// Names come from the crashed program; characters that could disturb a terminal are
        /// escaped.
        private static func shown(_ names: [String]) -> String {
            var seen: Set<String> = []
            let distinct = names.filter { seen.insert($0).inserted }
            let first = distinct.prefix(shownNameLimit).map { String($0.prefix(64)).printable() }
            let more = distinct.count - first.count
            return first.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        }

        /// Whole KiB or MiB, rounded up; less than 1 KiB in bytes.
        private static func size(_ byteCount: Int) -> String {
            if byteCount < 1 << 10 { return counted(byteCount, "byte") }
            if byteCount < 10 << 20 { return ((byteCount + 1023) >> 10).grouped + " KiB" }
            return ((byteCount + (1 << 20) - 1) >> 20).grouped + " MiB"
        }
    }
}

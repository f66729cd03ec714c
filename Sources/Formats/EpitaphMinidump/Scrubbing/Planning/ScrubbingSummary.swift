// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// What scrubbing removes from a minidump, and what it keeps.
    public struct ScrubbingSummary: Sendable, Equatable, Codable {
        /// Names of removed annotations, in file order, possibly repeated.
        public internal(set) var removedAnnotations: [String] = []
        public internal(set) var keptAnnotationCount = 0
        public internal(set) var removedMessageCount = 0
        /// Removed streams by the names other tools use, in file order.
        public internal(set) var removedStreams: [String] = []
        public internal(set) var removedMemoryRegionCount = 0
        public internal(set) var removedMemoryByteCount = 0
        public internal(set) var keptMemoryRegionCount = 0
        public internal(set) var keptMemoryByteCount = 0
        public internal(set) var replacedWordCount = 0
        /// Register sets without vectors and floating-point numbers.
        public internal(set) var clearedRegisterSetCount = 0
        /// Home directories replaced by `~`.
        public internal(set) var hiddenHomeDirectoryCount = 0
        /// Copies of removed texts found and removed elsewhere.
        public internal(set) var removedCopyCount = 0

        public init() {}

        /// One sentence without a full stop: "2 annotations (password, token), 14 memory regions
        /// (812 KiB) and 1,204 words of memory are removed".
        public var sentence: String {
            let items = removals
            guard let last = items.last else { return "nothing is removed" }
            let list =
                items.count == 1
                ? last : items.dropLast().joined(separator: ", ") + " and " + last
            let isOne = items.count == 1 && last.hasPrefix("1 ")
            return "\(list) \(isOne ? "is" : "are") removed"
        }

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

        private static func shown(_ names: [String]) -> String {
            var seen: Set<String> = []
            let distinct = names.filter { seen.insert($0).inserted }
            let first = distinct.prefix(shownNameLimit).map { String($0.prefix(64)).printable() }
            let more = distinct.count - first.count
            return first.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        }

        private static func size(_ byteCount: Int) -> String {
            if byteCount < 1 << 10 { return counted(byteCount, "byte") }
            if byteCount < 10 << 20 { return ((byteCount + 1023) >> 10).grouped + " KiB" }
            return ((byteCount + (1 << 20) - 1) >> 20).grouped + " MiB"
        }
    }
}

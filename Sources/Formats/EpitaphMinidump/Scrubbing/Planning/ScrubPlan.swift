// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A minidump as it may leave the machine: the source's bytes with edits, of the same size. Making
/// a plan reads the source once; the source must not change while the plan lives.
package struct ScrubPlan: Sendable {
    private static let chunkByteCount = 1 << 20

    package let summary: ScrubbingSummary

    private let source: ByteSlice
    private let segments: [FileSegment]
    private let known: KnownRanges
    private let texts: TextScrubbing

    /// - Parameter minidump: the whole file; its pages are released as they are read.
    /// - Throws: if it is unclear what to remove; then the minidump must not be sent. Rules that
    ///   keep everything never throw.
    package init(minidump: ByteSlice, rules: ScrubbingRules) throws(ScrubbingError) {
        source = minidump
        guard !rules.keepsMinidump else {
            segments = [FileSegment(range: 0..<minidump.count, content: .copy)]
            known = KnownRanges(ranges: [], code: [])
            texts = TextScrubbing(rules: rules, secrets: SecretSearch())
            summary = ScrubbingSummary()
            return
        }
        let contents = try rethrowing(MinidumpReader.read(minidump)) { (error: MinidumpError) in
            ScrubbingError.unreadable(reason: error.description)
        }
        let planner = ScrubPlanner(
            MinidumpBytes(bytes: minidump), rules: rules, snapshot: contents.snapshot)
        try planner.run()
        segments = try planner.fates.segments(
            byteCount: minidump.count, keepsUnknown: rules.keepsUnknown)
        known = planner.known
        texts = TextScrubbing(rules: rules, secrets: planner.secrets)
        var summary = planner.summary
        summary.replacedWordCount = Self.replacedWordCount(
            in: segments, of: minidump, keeping: known)
        self.summary = summary
    }

    package var byteCount: Int { source.count }

    /// Fills `buffer` and returns how many bytes, less only at the end. In any order.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        guard offset >= 0, offset < byteCount else { return 0 }
        let end = offset + min(buffer.count, byteCount - offset)
        var index = segments.prefixCount { $0.range.upperBound <= offset }
        var place = offset
        while place < end, index < segments.count {
            let segment = segments[index]
            let partEnd = min(end, segment.range.upperBound)
            let target = UnsafeMutableRawBufferPointer(
                rebasing: buffer[place - offset..<partEnd - offset])
            fill(target, at: place, segment.content)
            (place, index) = (partEnd, index + 1)
        }
        return end - offset
    }

    /// Writes the scrubbed minidump, about 1 MiB at a time; incomplete if the sink throws.
    package func write<Sink: ByteSink>(to sink: inout Sink) throws(Sink.Failure) {
        var chunk = [UInt8](repeating: 0, count: min(Self.chunkByteCount, byteCount))
        var offset = 0
        while offset < byteCount {
            let count = chunk.withUnsafeMutableBytes { read(into: $0, at: offset) }
            guard count > 0 else { return }
            try sink.append(count == chunk.count ? chunk : Array(chunk[..<count]))
            source.slice(from: offset, length: count).forget()
            offset += count
        }
    }

    package func forget(_ range: Range<Int>) {
        source.slice(from: range.lowerBound, length: range.count).forget()
    }

    package func scrubbed(
        annotations: [Annotation], messages: [CrashMessage]
    ) -> (annotations: [Annotation], messages: [CrashMessage]) {
        (texts.scrubbed(annotations), texts.scrubbed(messages))
    }

    package func scrubbed(_ breadcrumbs: [Breadcrumb]) -> [Breadcrumb] {
        texts.scrubbed(breadcrumbs)
    }

    private func fill(
        _ target: UnsafeMutableRawBufferPointer, at offset: Int, _ content: FileSegment.Content
    ) {
        switch content {
        case .copy:
            source.slice(from: offset, length: target.count).withUnsafeBytes {
                target.copyMemory(from: $0)
            }
        case .bytes(let bytes, let start):
            bytes.withUnsafeBytes {
                let part = $0[offset - start..<offset - start + target.count]
                target.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
            }
        case .fill(let byte):
            target.initializeMemory(as: UInt8.self, repeating: byte)
        case .sanitized(let memory):
            memory.sanitize(into: target, at: offset, of: source, keeping: known)
        case .pattern(let memory):
            memory.deface(target, at: offset)
        }
    }

    private static func replacedWordCount(
        in segments: [FileSegment], of source: ByteSlice, keeping known: KnownRanges
    ) -> Int {
        var count = 0
        for segment in segments {
            guard case .sanitized(let memory) = segment.content else { continue }
            let range = segment.range
            for start in stride(from: range.lowerBound, to: range.upperBound, by: chunkByteCount) {
                let part = start..<min(start + chunkByteCount, range.upperBound)
                count += memory.replacedWordCount(in: part, of: source, keeping: known)
                if range.count >= chunkByteCount {
                    source.slice(from: part.lowerBound, length: part.count).forget()
                }
            }
        }
        return count
    }
}

/// Why a minidump cannot be scrubbed and must not be sent.
package enum ScrubbingError: Error, Equatable, Sendable, CustomStringConvertible {
    case unreadable(reason: String)
    /// Something to remove shares bytes with something the file needs.
    case overlap(offset: Int)
    /// More of something than any sane minidump has.
    case tooMuch(String)

    package var description: String {
        let reason =
            switch self {
            case .unreadable(let reason): reason
            case .overlap(let offset):
                "its parts overlap at offset \(offset.hex), so data to remove "
                    + "cannot be separated from data to keep"
            case .tooMuch(let what): "it has \(what)"
            }
        return "the minidump cannot be scrubbed and is not sent: \(reason)"
    }
}

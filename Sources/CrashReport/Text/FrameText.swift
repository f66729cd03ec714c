// SPDX-License-Identifier: Apache-2.0

/// One frame as a line: `#0  serve(_:) at /src/Server.swift:42:9 in exampled+0x1a2b`.
enum FrameText {
    /// - Parameter numberWidth: columns of the longest number of the stack, with its `#`.
    static func line(
        _ frame: ReportFrame, numberWidth: Int, names: ReportFrame.Names
    ) -> TextLine {
        let number = "#\(frame.index)".padded(to: numberWidth)
        return TextLine(
            lead: [TextSpan("  \(number)  ")], chunks(frame, names), indent: numberWidth + 6)
    }

    /// The lines of the source file, the one the frame was at with an arrow.
    static func excerpt(_ excerpt: SourceExcerpt, indent: Int) -> [TextLine] {
        let width = "\(excerpt.firstLine + excerpt.lines.count)".count
        return excerpt.numbered.map { number, text in
            let isHere = number == excerpt.line
            let arrow = isHere ? "=>" : "  "
            let lead =
                String(repeating: " ", count: indent)
                + "\(arrow) \("\(number)".padded(to: width)) │ "
            return TextLine(
                lead: [TextSpan(lead, .faint)],
                [.init(text, isHere ? .mark : .faint, ifTooLong: .shortenEnd)])
        }
    }

    /// Function and file name alone, on one line: `#0  serve(_:) at Server.swift:42:9`.
    static func brief(
        _ frame: ReportFrame, numberWidth: Int, names: ReportFrame.Names
    ) -> TextLine {
        let number = "#\(frame.index)".padded(to: numberWidth)
        var spans = function(frame, names).spans
        if let source = frame.source {
            let file = source.file.split(separator: "/").last.map(String.init) ?? source.file
            spans.append(TextSpan(" at \(file)\(numbers(source))", .source))
        } else if let place = frame.place {
            spans.append(TextSpan(" in \(place.moduleName)+\(place.offset.hex)", .faint))
        } else {
            spans = [TextSpan("\(frame.address.paddedHex) in no module")]
        }
        if let mark = briefRemark(frame) { spans.append(TextSpan(mark, .mark)) }
        return TextLine(
            lead: [TextSpan("  \(number)  ")], [.init(spans, ifTooLong: .shortenMiddle)])
    }

    private static func briefRemark(_ frame: ReportFrame) -> String? {
        if frame.isAsyncCaller { return " (awaits)" }
        if let signal = frame.handledSignal { return " (\(signal.words))" }
        if foundBy(frame) != nil { return " (?)" }
        return frame.isInlined ? " (inlined)" : nil
    }

    private static func chunks(
        _ frame: ReportFrame, _ names: ReportFrame.Names
    ) -> [TextLine.Chunk] {
        guard frame.function != nil || frame.place != nil else {
            return [.init(frame.address.paddedHex), .init("in no module")] + remarks(frame)
        }
        var chunks = [function(frame, names)] + source(frame)
        if frame.isInlined {
            chunks[chunks.count - 1].spans.append(TextSpan(", inlined", .faint))
        } else {
            chunks.append(place(frame))
        }
        return chunks + remarks(frame)
    }

    private static func function(
        _ frame: ReportFrame, _ names: ReportFrame.Names
    ) -> TextLine.Chunk {
        guard let function = frame.name(names) else { return .init("??") }
        var spans = [TextSpan(function, frame.isOwn ? .faint : .function)]
        // With a line number nobody needs the offset.
        if frame.source?.line == nil, let offset = frame.functionOffset, offset > 0 {
            spans.append(TextSpan("+\(offset.hex)"))
        }
        return .init(spans, ifTooLong: .shortenMiddle)
    }

    private static func source(_ frame: ReportFrame) -> [TextLine.Chunk] {
        guard let source = frame.source else { return [] }
        let file = "at \(source.file)\(numbers(source))"
        return [.init(file, .source, ifTooLong: .shortenStart)]
    }

    /// `:42:9`
    private static func numbers(_ source: ReportFrame.Source) -> String {
        [source.line, source.line == nil ? nil : source.column]
            .compactMap(\.self).map { ":\($0)" }.joined()
    }

    private static func place(_ frame: ReportFrame) -> TextLine.Chunk {
        guard let place = frame.place else {
            return .init("in no module, \(frame.address.paddedHex)", .faint)
        }
        return .init(
            "in \(place.moduleName)+\(place.offset.hex)", .faint, ifTooLong: .shortenMiddle)
    }

    private static func remarks(_ frame: ReportFrame) -> [TextLine.Chunk] {
        var remarks: [String] = []
        if frame.isAsyncCaller { remarks.append("awaits the frame above") }
        if frame.isSignalFrame { remarks.append(frame.signalWords) }
        if frame.isNameKept { remarks.append("named when filed") }
        if let way = foundBy(frame) { remarks.append("found by \(way)") }
        return remarks.map { .init("(\($0))", .mark) }
    }

    /// Nil where there is nothing to doubt.
    private static func foundBy(_ frame: ReportFrame) -> String? {
        switch frame.foundBy {
        case .registers, .unwindTable, .asyncContext: nil
        case .signalContext: "the registers a signal handler saved"
        case .returnAddress: "the return address of a jump"
        case .framePointer: "its frame pointer"
        case .stackScan: "a stack scan: likely, not certain"
        case .stackGuess: "a stack scan: possible, no more"
        }
    }
}

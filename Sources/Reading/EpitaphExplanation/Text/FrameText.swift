// SPDX-License-Identifier: Apache-2.0

package final class FrameText {
    private let frame: ReportFrame
    private let outline: FrameOutline
    private let number: String

    /// - Parameter numberWidth: columns of the stack's longest number, with its `#`.
    package init(_ frame: ReportFrame, numberWidth: Int, names: ReportFrame.Names) {
        self.frame = frame
        outline = FrameOutline(frame, names)
        number = "#\(frame.index)".padded(to: numberWidth)
    }

    package var line: TextLine {
        TextLine(
            lead: [TextSpan("  \(number)  ")], chunks, indent: TextWidth.columns(number) + 6)
    }

    package var excerpt: [TextLine] {
        let indent = String(repeating: " ", count: TextWidth.columns(number) + 4)
        return (frame.excerpt?.numbered ?? []).map { number, text, isHere in
            TextLine(
                lead: [TextSpan("\(indent)\(isHere ? "=>" : "  ") \(number)", .faint)],
                [.init(text, isHere ? .mark : .faint, ifTooLong: .shortenEnd)])
        }
    }

    /// Function and file name on one line: `#0  serve(_:) at Server.swift:42:9`.
    package var brief: TextLine {
        var spans = function.spans
        if let source = frame.source {
            spans.append(TextSpan(" at \(source.fileName)\(source.numbers)", .source))
        } else if outline.module != nil {
            spans.append(TextSpan(" \(outline.placeWords)", .faint))
        } else {
            spans = [TextSpan("\(frame.address.paddedHex) \(outline.placeWords)")]
        }
        if let mark = briefRemark { spans.append(TextSpan(" (\(mark))", .mark)) }
        return TextLine(
            lead: [TextSpan("  \(number)  ")], [.init(spans, ifTooLong: .shortenMiddle)])
    }

    private var briefRemark: String? {
        if frame.isAsyncCaller { return "awaits" }
        if let signal = frame.handledSignal { return signal.words }
        if outline.isDoubtful { return "?" }
        return frame.isInlined ? "inlined" : nil
    }

    private var chunks: [TextLine.Chunk] {
        guard frame.function != nil || outline.module != nil else {
            return [.init(outline.nameOrStandIn), .init(outline.placeWords)] + remarks
        }
        var chunks = [function]
        if let source = frame.source {
            chunks.append(
                .init("at \(source.file)\(source.numbers)", .source, ifTooLong: .shortenStart))
        }
        if frame.isInlined {
            chunks[chunks.count - 1].spans.append(TextSpan(", inlined", .faint))
        } else {
            chunks.append(
                .init(
                    outline.placeWords, .faint,
                    ifTooLong: outline.module == nil ? .split : .shortenMiddle))
        }
        return chunks + remarks
    }

    private var function: TextLine.Chunk {
        guard let name = outline.name else { return .init("??") }
        var spans = [TextSpan(name, frame.isOwn ? .faint : .function)]
        if !outline.offset.isEmpty { spans.append(TextSpan(outline.offset)) }
        return .init(spans, ifTooLong: .shortenMiddle)
    }

    /// "inlined" is in the line itself.
    private var remarks: [TextLine.Chunk] {
        outline.remarks.compactMap { remark in
            if case .inlined = remark { return nil }
            return .init("(\(remark.words))", .mark)
        }
    }
}

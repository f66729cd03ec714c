// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text on one line and short enough for a sentence. Control characters, which could drive
    /// the terminal that shows them, become spaces.
    func oneLine(limit: Int = 300) -> String {
        var line = String.UnicodeScalarView()
        for (index, scalar) in unicodeScalars.enumerated() {
            guard index < limit else {
                line.append("…")
                break
            }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: line.append(" ")
            default: line.append(scalar)
            }
        }
        return String(line)
    }
}

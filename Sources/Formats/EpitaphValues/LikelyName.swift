// SPDX-License-Identifier: Apache-2.0

/// The name that `word` probably stands for, with at most `most` mistakes.
package func likelyName(_ word: String, among names: [String], most: Int) -> String? {
    names.min { editDistance(word, $0) < editDistance(word, $1) }
        .flatMap { editDistance(word, $0) <= most ? $0 : nil }
}

private func editDistance(_ left: String, _ right: String) -> Int {
    let columns = Array(right)
    var row = Array(0...columns.count)
    for (index, letter) in left.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in columns.indices {
            let replaced = diagonal + (columns[column] == letter ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
        }
    }
    return row[columns.count]
}

/// The names that exist instead of `word`, for the end of a sentence.
package func otherNames(than word: String, _ names: [String]) -> String {
    let all = names.joined(separator: ", ")
    guard let near = likelyName(word, among: names, most: 2) else { return "; there are \(all)" }
    return "; did you mean \"\(near)\"? There are \(all)"
}

// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Multipart forms")
struct MultipartFormTests {
    @Test("A boundary is Crashpad's frame around 32 letters and digits, new for each draw")
    func boundary() throws {
        var random = FixedRandom()
        let first = MultipartBoundary(using: &random)
        let second = MultipartBoundary(using: &random)
        #expect(first.text.wholeMatch(of: /---MultipartBoundary-[A-Za-z0-9]{32}---/) != nil)
        #expect((1...70).contains(first.text.utf8.count))
        #expect(first != second)
    }

    @Test("Values come first, then files, each sorted by the bytes of its name")
    func exactBytes() throws {
        let directory = try TemporaryDirectory()
        let dump = try BodyFile(opening: directory.write([0x4d, 0, 0x0d, 0x0a, 0xff], to: "dump"))
        let empty = try BodyFile(opening: directory.write([], to: "empty"))
        var form = MultipartForm()
        form.set("upload_file_minidump", to: dump, filename: "a.dmp")
        form.set("ver", to: "1.0")
        form.set("Zulu", to: "grüße\r\nand more")
        form.set("log", to: empty, filename: "the \"log\".txt", type: .text)
        form.set("prod", to: "")

        var random = FixedRandom()
        let boundary = MultipartBoundary(using: &random)
        let mark = "--" + boundary.text
        let head = """
            \(mark)
            Content-Disposition: form-data; name="Zulu"

            grüße
            and more
            \(mark)
            Content-Disposition: form-data; name="prod"


            \(mark)
            Content-Disposition: form-data; name="ver"

            1.0
            \(mark)
            Content-Disposition: form-data; name="log"; filename="the %22log%22.txt"
            Content-Type: text/plain


            \(mark)
            Content-Disposition: form-data; name="upload_file_minidump"; filename="a.dmp"
            Content-Type: application/octet-stream


            """.replacing("\n", with: "\r\n")
        let expected =
            Array(head.utf8) + [0x4d, 0, 0x0d, 0x0a, 0xff] + Array("\r\n\(mark)--\r\n".utf8)
        for step in [1, 7, 64, 65_536] {
            let body = form.body(boundary: boundary)
            #expect(try body.readAll(step: step) == expected)
            #expect(body.contentLength == expected.count)
            body.rewind()
            #expect(try body.readAll(step: step) == expected)
        }
    }

    @Test("An empty form is the closing line alone")
    func emptyForm() throws {
        var random = FixedRandom()
        let boundary = MultipartBoundary(using: &random)
        let body = try MultipartForm().body(boundary: boundary).readAll()
        #expect(String(decoding: body, as: UTF8.self) == "--\(boundary.text)--\r\n")
    }

    @Test("Python's form parser finds the same names, file names and contents")
    func independentParser() throws {
        let directory = try TemporaryDirectory()
        let bytes = (0...255).map { UInt8($0) } + Array("\r\n--x\r\n".utf8)
        var form = MultipartForm()
        form.set("prod", to: "daemon")
        form.set("text", to: "one\ntwo")
        form.set(
            "file", to: try BodyFile(opening: directory.write(bytes, to: "dump")),
            filename: "x.dmp")
        var random = FixedRandom()
        let boundary = MultipartBoundary(using: &random)
        let path = try directory.write(try form.body(boundary: boundary).readAll(), to: "body")
        let script = """
            import email.parser, email.policy, sys
            head = b'Content-Type: ' + sys.argv[1].encode() + b'\\r\\n\\r\\n'
            message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(
                head + open(sys.argv[2], 'rb').read())
            for part in message.iter_parts():
                field = part['content-disposition'].params
                print(field['name'], field.get('filename'), part.get_payload(decode=True).hex())
            """
        let run = try Subprocess.run([
            "python3", "-c", script, MediaType.form(boundary: boundary).text, path,
        ])
        let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(
            run.standardOutput == """
                prod None 6461656d6f6e
                text None 6f6e650a74776f
                file x.dmp \(hex)

                """, "\(run.standardError)")
    }

    @Test(
        "Names are encoded where they would break out of their line",
        arguments: [
            ("plain-name_1", "plain-name_1"), ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"),
            ("100%", "100%25"), ("ä b;c", "ä b;c"), ("", ""),
        ])
    func escaping(name: String, expected: String) {
        #expect(MultipartForm.escaped(name) == expected)
    }

    @Test("The last thing set under a name replaces what was there, value or file")
    func sharedNames() throws {
        let directory = try TemporaryDirectory()
        let file = try BodyFile(opening: directory.write([1], to: "file"))
        var random = FixedRandom()
        let boundary = MultipartBoundary(using: &random)
        var form = MultipartForm()
        form.set("a", to: "old")
        form.set("a", to: file, filename: "f")
        form.set("b", to: file, filename: "f")
        form.set("b", to: "new")
        let text = String(decoding: try form.body(boundary: boundary).readAll(), as: UTF8.self)
        #expect(!text.contains("old"))
        #expect(text.matches(of: /name="a"/).count == 1)
        #expect(text.contains("name=\"b\"\r\n\r\nnew\r\n"))
    }

    @Test(
        "Files that are no regular files are refused with their path", arguments: ["", "missing"])
    func notAFile(name: String) throws {
        let directory = try TemporaryDirectory()
        #expect {
            try BodyFile(opening: directory.path(name))
        } throws: { error in
            "\(error)".contains(directory.path(name))
        }
    }

    @Test(
        "A media type that could break a header is refused",
        arguments: [
            ("text/plain", true), ("application/vnd.x+json", true), ("image/svg+xml", true),
            ("text", false), ("text/", false), ("/plain", false), ("text/pl ain", false),
            ("text/plain\r\nX: y", false), ("a/b/c", false), ("tëxt/plain", false), ("", false),
            ("+x/y", false),
        ])
    func mediaTypes(text: String, isValid: Bool) {
        #expect((MediaType(text) != nil) == isValid)
    }

    @Test(
        "A header that would end its line is refused",
        arguments: [
            ("X-Token", "abc def", true), ("X", "", true), ("X", "tab\tinside", true),
            ("X", "a\r\nY: b", false), ("X", "a\nb", false), ("X", "nul\0", false),
            ("X Y", "a", false), ("X:", "a", false), ("", "a", false),
        ])
    func headers(name: String, value: String, isValid: Bool) {
        #expect((HTTPHeader(name, value) != nil) == isValid)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EpitaphMinidump

@Suite("Home directories in text")
struct HomeDirectoriesTests {
    @Test(
        "become ~, whatever stands around them",
        arguments: [
            ("", ""), ("/home/", "/home/"), ("/home/bo", "~"), ("/home/bo/", "~/"),
            ("x=/home/bo:/home/al/bin", "x=~:~/bin"), ("/home//x", "/home//x"),
            ("\"/home/bo\"", "\"~\""), ("/Users/bo/Library", "~/Library"),
            ("/root", "~"), ("/root/x", "~/x"), ("/rooted", "/rooted"), ("my/root", "my/root"),
            ("C:\\Users\\John Doe\\x", "~\\x"), (#"{"p":"C:\\Users\\bo\\x"}"#, #"{"p":"~\\x"}"#),
            (#"{"p":"\/home\/bo\/x"}"#, #"{"p":"~\/x"}"#), ("/mnt/home/bo/x", "/mnt~/x"),
            ("/usr/lib/x", "/usr/lib/x"), ("/home/bo\n/home/al\n", "~\n~\n"),
            ("file:///home/bo/x", "file://~/x"), ("/home/größe/x", "~/x"),
        ])
    func hidden(text: String, expected: String) {
        #expect(HomeDirectories.hidden(in: text) == expected)
        let units = HomeDirectories.hidden(in: Array(text.utf16)).text
        #expect(String(decoding: units, as: UTF16.self) == expected)
    }
}

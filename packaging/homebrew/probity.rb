# Made by `just package`; addresses and checksums belong to one release.
class Probity < Formula
  desc "@SUMMARY@"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license any_of: ["Apache-2.0", "MIT"]

@PLATFORMS@

  def install
    bin.install "probity"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/probity.bash" => "probity"
    zsh_completion.install "completions/_probity"
    fish_completion.install "completions/probity.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/probity --version")
  end
end

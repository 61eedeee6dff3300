package chat
import ("testing";"os";"fmt";"path/filepath";"strings";"encoding/json";"context")
func TestShow(t *testing.T){
 files,_:=filepath.Glob("/work/shared/golden/templates/*.jinja")
 tools:=json.RawMessage(`[{"type":"function","function":{"name":"get_weather","description":"Weather","parameters":{"type":"object","properties":{"city":{"type":"string","description":"c"},"days":{"type":"integer"},"opt":{"type":"object","properties":{"x":{"type":"boolean"}}}},"required":["city"]}}}]`)
 for _,f:=range files{
  src,_:=os.ReadFile(f)
  tm,err:=Parse(string(src)); if err!=nil{t.Log(f,err);continue}
  args:=json.RawMessage(`{"city": "Paris \"x\"", "days": 3, "opt": {"x": true}}`)
  in:=Input{Messages:[]Message{{Role:"user",Content:"USERMSG"},{Role:"assistant",Reasoning:"REASON",Content:"",ToolCalls:[]ToolCall{{ID:"abcd12345",Name:"get_weather",Arguments:args},{ID:"efgh12345",Name:"get_weather",Arguments:args}}},{Role:"tool",ToolCallID:"abcd12345",Name:"get_weather",Content:"RESULT1"},{Role:"tool",ToolCallID:"efgh12345",Name:"get_weather",Content:"RESULT2"},{Role:"assistant",Content:"FINAL"},{Role:"user",Content:"USER2"}},Tools:tools,AddGenerationPrompt:true,BOS:"<s>",EOS:"</s>",Now:testNow}
  text,err:=tm.Render(context.Background(),in)
  fmt.Printf("########## %s %+v\n",filepath.Base(f),tm.Capabilities())
  if err!=nil{fmt.Println("ERR",err);
   in.Messages[1].ToolCalls=in.Messages[1].ToolCalls[:1]; in.Messages=append(in.Messages[:3:3],in.Messages[4:]...)
   text,err=tm.Render(context.Background(),in); fmt.Println("one call:",err)
  }
  if os.Getenv("ALL")==""{ if i:=strings.Index(text,"USERMSG");i>=0{text=text[i:]} }
  fmt.Println(text)
 }
}
